export { AnthropicConnector } from './anthropic.connector';
