export { callChunk, charsOf } from './call-chunk';
export { openEventStream } from './event-stream';
export { headOf } from './head';
export {
  IMAGE_TYPES,
  imageUrlOf,
  type InlineImage,
  type InlineImages,
  inlineImages,
  type ImageType,
  MAX_IMAGE_BYTES,
} from './inline-images';
export {
  argumentsObject,
  formatIn,
  functionsIn,
  functionWishIn,
  type FunctionWish,
  maxTokensIn,
  numberIn,
  type OfferedFunction,
  stopsIn,
} from './openai-params';
export { TurnMemory, type TurnOwner } from './turn-memory';
