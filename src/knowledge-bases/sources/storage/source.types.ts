export const SOURCE_REFRESHES = ['manual', 'daily', 'weekly'] as const;
export type SourceRefresh = (typeof SOURCE_REFRESHES)[number];

export const SOURCE_KINDS = ['page', 'video'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** How the last fetch of an address stands. */
export type FetchStatus = 'pending' | 'fetching' | 'fetched' | 'failed';
