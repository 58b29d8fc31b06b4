export { OutboundClient, RESOLVE_HOST, type OutboundRequest, type OutboundResponse } from './outbound-client';
export type { ResolveHost } from './guarded-connector';
export { outboundFailure } from './outbound.errors';
export { OutboundModule } from './outbound.module';
