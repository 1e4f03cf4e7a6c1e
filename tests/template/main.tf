resource "aws_sfn_state_machine" "job" {
  name       = "job"
  definition = jsonencode({ StartAt = "A" })
}
