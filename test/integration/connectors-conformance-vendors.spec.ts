import { AnthropicConnector } from '../../src/connectors/catalog/anthropic';
import { GoogleConnector } from '../../src/connectors/catalog/google';
import { describeVendorConnector } from '../support/conformance';
import { ANTHROPIC } from '../support/dialects/anthropic';
import { GOOGLE } from '../support/dialects/google';

describeVendorConnector('anthropic', ANTHROPIC, (outbound, limits) => new AnthropicConnector(outbound, limits));
describeVendorConnector('google', GOOGLE, (outbound, limits) => new GoogleConnector(outbound, limits));
