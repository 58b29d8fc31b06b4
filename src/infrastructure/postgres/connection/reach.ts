import { type Reach, reachOfWork, setReach, withReach } from '../../context';

/** Work that legitimately reads or writes rows of several organizations, each with its reason. */
export const CROSSINGS = {
  'sign-in': 'A credential, a link or an account is found before its organization is known.',
  directory: 'Organizations are found by their name or id, and people by their address.',
  'system administration': 'System administrators manage every organization.',
  calls: 'Assistants are called from other organizations, where theirs has published them.',
  start: 'The first start makes the first organization.',
  commands: 'Commands of the operator serve all organizations.',
  jobs: 'Queues, leases and sweeps of the service serve all organizations.',
  figures: 'Sizes and queues are those of the whole installation.',
  batches: 'Counters, run records and events of several organizations are written together.',
  search: 'Ids are found by a part of a text; their rows are read within the organization.',
  secrets: 'The operator key wraps the data keys of all organizations.',
  import: 'An import from LAMB brings several organizations.',
} as const;
export type Crossing = keyof typeof CROSSINGS;

/** The statements of `work` see the rows of one organization. */
export const withinOrganization = <T>(organizationId: string, work: () => T): T => withReach({ organizationId }, work);

/** The statements of `work` see the rows of every organization. Few places may do this: docs/contributing/database.md. */
export const acrossOrganizations = <T>(crossing: Crossing, work: () => T): T => withReach({ crossing }, work);

/** The statements of the method see the rows of every organization. */
export const AcrossOrganizations =
  (crossing: Crossing) =>
  <Given extends unknown[], Answer>(
    _class: object,
    _name: string,
    descriptor: TypedPropertyDescriptor<(...given: Given) => Promise<Answer>>,
  ): void => {
    const { value: method } = descriptor;
    if (method === undefined) throw new Error('Only methods reach across organizations');
    descriptor.value = function (...given: Given): Promise<Answer> {
      return acrossOrganizations(crossing, () => method.apply(this, given));
    };
  };

/** The statements of `work` see no row of an organization until `bindReach`. For a request. */
export const withoutOrganization = <T>(work: () => T): T => withReach(null, work);

/** Sets the reach of the current request once its caller is known; outside a request, of all that follows. */
export const bindReach = (reach: NonNullable<Reach>): void => setReach(reach);

export const currentReach = reachOfWork;
export type { Reach };
