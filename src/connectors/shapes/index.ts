export * from './chat-shapes';
