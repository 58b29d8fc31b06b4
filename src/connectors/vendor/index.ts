export * from './chat-shapes';
export type { AnswerDecoder, Gain, VendorCall, VendorCodec, VendorPost, VendorWire } from './codec.types';
export { imageUrlOf, type InlineImages } from './inline-images';
export {
  argumentsObject,
  formatIn,
  functionsIn,
  functionWishIn,
  maxTokensIn,
  numberIn,
  stopsIn,
} from './openai-params';
export { fixedAnswer } from './fixed-answer';
export { splitThoughts, ThoughtSplitter } from './thought-splitter';
export { TextConnector } from './text-connector';
export { vendorPlugin, wirePlugin } from './vendor-connector';
export { wireOf } from './wire-of';
