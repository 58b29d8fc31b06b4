export { ANTHROPIC } from './anthropic.connector';
