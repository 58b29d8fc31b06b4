export { GoogleConnector } from './google.connector';
