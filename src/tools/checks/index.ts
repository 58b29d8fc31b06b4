export { CHECK_PROPERTIES, type CheckConfig, checkedText, type CheckedText, checkNeeds } from './checked-text';
