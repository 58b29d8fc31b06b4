/** Operator commands: what they get and give, and how both are shown. */
export {
  BadUsage,
  type CommandContext,
  type CommandResult,
  EXIT,
  type OutputOptions,
  print,
  printFailure,
  type Register,
} from './output';
export { ShownProgress, SILENT } from './progress';
