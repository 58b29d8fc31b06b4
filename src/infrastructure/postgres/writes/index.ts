export { TableWrites, type Write } from './table-writes';
