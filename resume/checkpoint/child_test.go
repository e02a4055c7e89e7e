package checkpoint_test

const childVariable = "RAWWATCH_TEST_CHECKPOINT"

func child(string) {}
