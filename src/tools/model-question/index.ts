export { AskingTool } from './asking-tool';
export { dataFence } from './data-fence';
export { CitedText, type Material, materialOf, type Piece, shown } from './material';
