export * from './chat-shapes';
export type { AnswerDecoder, Gain, InlineImages, VendorPost } from '@bellwether/plugin';
export type { VendorCall, VendorCodec, VendorWire } from './codec.types';
export { TextConnector, fixedAnswer } from './fixed-answer';
export { imageUrlOf } from './inline-images';
export { ThoughtSplitter, splitThoughts } from './thought-splitter';
export { connectorPlugin, vendorPlugin, wireOf, wirePlugin } from './vendor-connector';
