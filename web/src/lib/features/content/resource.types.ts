/** The requests behind the actions of a resource. */
export interface ResourceRequests<Resource> {
  readonly read: (id: string) => Promise<Resource>;
  readonly share: (id: string, shared: boolean) => Promise<Resource>;
  readonly duplicate: (
    id: string,
    header: { readonly 'Idempotency-Key': string },
  ) => Promise<{ readonly name: string; readonly href: string }>;
  readonly remove: (id: string, header: { readonly 'if-match': string }) => Promise<unknown>;
}

export interface Reactions<Resource> {
  onchange: (resource: Resource) => void;
  /** Another person saved a newer version; nothing was deleted. */
  onstale: (resource: Resource) => void;
  ondeleted: () => void;
}
