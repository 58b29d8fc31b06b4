import { type Asked, json, type Reply } from './http';
import type { LmsPerson } from './messages';
import { MEDIA } from './names';

export interface LmsMember extends LmsPerson {
  readonly status?: 'Active' | 'Inactive' | 'Deleted';
}

/** Names and Role Provisioning Services 2.0, with pages. */
export class Roster {
  members: readonly LmsMember[] = [];
  /** People of one page at most, whatever the tool asks for. */
  pageSize = 100;
  /** Changes the address of the next page. Null names no next page. */
  nextPage: (address: string) => string | null = (address) => address;

  constructor(private readonly url: () => string) {}

  answer({ path, query }: Asked): Reply {
    const role = query.get('role');
    const listed = this.members.filter(({ roles }) => role === null || roles.includes(role));
    const size = Math.min(Number(query.get('limit') ?? this.pageSize) || this.pageSize, this.pageSize);
    const from = Number(query.get('from') ?? 0);
    const page = listed.slice(from, from + size).map(({ sub, status = 'Active', ...person }) => ({
      user_id: sub,
      status,
      ...person,
    }));
    const address = new URL(path, this.url());
    const id = address.href;
    for (const [name, value] of query) address.searchParams.set(name, value);
    address.searchParams.set('from', String(from + size));
    const next = from + size < listed.length ? this.nextPage(address.href) : null;
    return {
      status: 200,
      headers: {
        'content-type': MEDIA.roster,
        ...(next !== null && { link: `<${id}>; rel="first", <${next}>; rel="next"` }),
      },
      body: { id, context: { id: path.split('/')[2] }, members: page },
    };
  }

  /** An answer without the people, as of a course that the platform deleted. */
  static readonly gone = json(404, { errors: [{ message: 'The course was deleted' }] });
}
