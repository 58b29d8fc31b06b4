export { CHECK_PROPERTIES, type CheckConfig, checkedText, type CheckedText } from './checked-text';
