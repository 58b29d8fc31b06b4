export { BypassConnector } from './bypass.connector';
