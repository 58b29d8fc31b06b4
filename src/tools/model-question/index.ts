export { AskingTool } from './asking-tool';
export { CitedText, type Material, type Piece, dataFence, materialOf, shown } from './material';
