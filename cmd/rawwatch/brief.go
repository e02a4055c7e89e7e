package main

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// brief says in a few words what went wrong, for a line of a watch's story in
// which it is known what was asked and that it will be asked again.
func brief(err error) string {
	var (
		status  *decode.StatusError
		stream  *decode.StreamError
		op      *net.OpError
		request *rawwatch.RequestError
	)
	switch {
	case errors.As(err, &status):
		return status.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at the server's address"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the stream broke off"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was broken off"
	case errors.As(err, &op):
		return op.Error()
	case errors.As(err, &stream):
		return stream.Err.Error()
	case errors.As(err, &request):
		return request.Err.Error()
	}
	return err.Error()
}
