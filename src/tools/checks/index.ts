export { type Check, checkDefinition, CheckTool, oneLine } from './check-tool';
export { type CheckConfig, type CheckedText } from './checked-text';
