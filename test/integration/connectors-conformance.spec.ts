import { OllamaConnector } from '../../src/connectors/catalog/ollama';
import { OpenAiConnector } from '../../src/connectors/catalog/openai';
import { describeVendorConnector } from '../support/conformance';
import { OLLAMA } from '../support/dialects/ollama';
import { OPENAI } from '../support/dialects/openai';

describeVendorConnector('openai', OPENAI, (outbound, limits) => new OpenAiConnector(outbound, limits));
describeVendorConnector('ollama', OLLAMA, (outbound, limits) => new OllamaConnector(outbound, limits), {
  target: { apiKey: null },
});
