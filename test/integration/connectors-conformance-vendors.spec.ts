import { ANTHROPIC } from '../../src/connectors/catalog/anthropic';
import { GOOGLE } from '../../src/connectors/catalog/google';
import { describeVendorConnector } from '../support/conformance';
import { ANTHROPIC as ANTHROPIC_DIALECT } from '../support/dialects/anthropic';
import { GOOGLE as GOOGLE_DIALECT } from '../support/dialects/google';

describeVendorConnector('anthropic', ANTHROPIC_DIALECT, ANTHROPIC);
describeVendorConnector('google', GOOGLE_DIALECT, GOOGLE);
