export { QUOTES } from './quotes.connector';
