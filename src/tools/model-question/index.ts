export { type DataFence, dataFence } from './data-fence';
