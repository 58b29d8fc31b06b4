import type { Metadata } from '$lib/app/catalogues/assistant';

/** The member to store; documents that never had one, and need none, stay as they are. */
export const materialMember = (only: boolean, base: Metadata): Pick<Metadata, 'only_from_material'> =>
  !only && base.only_from_material === undefined ? {} : { only_from_material: only };
