/** Of runs on behalf of others: those of one assistant, those that one other organization asked for. */
export interface NestedFilter {
  readonly assistantId?: number;
  readonly callerOrganizationId?: string;
}
