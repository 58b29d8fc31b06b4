export { type Check, type CheckConfig, CheckTool, type CheckedText, checkDefinition, oneLine } from './check-tool';
