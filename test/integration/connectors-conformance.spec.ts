import { OLLAMA } from '../../src/connectors/catalog/ollama';
import { OPENAI } from '../../src/connectors/catalog/openai';
import { describeVendorConnector } from '../support/conformance';
import { OLLAMA as OLLAMA_DIALECT } from '../support/dialects/ollama';
import { OPENAI as OPENAI_DIALECT } from '../support/dialects/openai';

describeVendorConnector('openai', OPENAI_DIALECT, OPENAI);
describeVendorConnector('ollama', OLLAMA_DIALECT, OLLAMA, {
  target: { apiKey: null },
});
