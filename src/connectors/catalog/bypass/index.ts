export { BYPASS } from './bypass.connector';
