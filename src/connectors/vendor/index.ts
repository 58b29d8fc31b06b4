export * from './chat-shapes';
export type { AnswerDecoder, Gain, VendorCall, VendorCodec, VendorPost, VendorWire } from './codec.types';
export { TextConnector, fixedAnswer } from './fixed-answer';
export { type InlineImages, imageUrlOf } from './inline-images';
export { ThoughtSplitter, splitThoughts } from './thought-splitter';
export { vendorPlugin, wireOf, wirePlugin } from './vendor-connector';
