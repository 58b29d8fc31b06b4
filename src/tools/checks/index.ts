export {
  CHECK_PROPERTIES,
  type CheckConfig,
  CHECKED,
  type Checked,
  checkedText,
  type CheckedText,
} from './checked-text';
