import type { NewJob } from '../../platform/jobs';

/** A job is about one row of one organization. */
export interface TenantJob {
  readonly organizationId: string;
  readonly id: string;
}

export const toJob = ({ organizationId, id }: TenantJob): NewJob<TenantJob> => ({
  key: id,
  data: { organizationId, id },
});
