import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type StorageName, S3_MARK } from './places/blob-storage.types';
import { spaceOf } from './storage/file.repository';
import { type BlobCursor, type BlobHolder, BlobHolders, type BlobTotals, type HeldBlob } from './blob-move';

const TOTALS = `
  SELECT count(*)::int AS files, coalesce(sum(size), 0)::float8 AS bytes FROM files
  WHERE starts_with(storage_name, '${S3_MARK}') = $1`;

const PAGE = `
  SELECT id, organization_id, owner_id, storage_name, size, sha256 FROM files
  WHERE starts_with(storage_name, '${S3_MARK}') = $1 AND ($2::uuid IS NULL OR id > $2::uuid)
  ORDER BY id LIMIT $3`;

/** Compare and swap: an upload or a handover may have changed the row. `updated_at` stays. */
const RENAME = 'UPDATE files SET storage_name = $3 WHERE id = $1 AND storage_name = $2 RETURNING id';
const HELD = 'SELECT FROM files WHERE id = $1 AND storage_name = $2';

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly owner_id: string;
  readonly storage_name: string;
  readonly size: number;
  readonly sha256: string;
}

/** The rows of `files`, one blob each. */
@Injectable()
export class FileHolderRepository implements BlobHolder {
  constructor(
    private readonly dataSource: DataSource,
    holders: BlobHolders,
  ) {
    holders.register(this);
  }

  async totals(place: StorageName): Promise<BlobTotals> {
    const [row] = await this.dataSource.query<[BlobTotals]>(TOTALS, [place === 's3']);
    return row;
  }

  async page(place: StorageName, after: BlobCursor | null, limit: number): Promise<readonly HeldBlob[]> {
    const rows = await this.dataSource.query<Row[]>(PAGE, [place === 's3', after?.id ?? null, limit]);
    return rows.map(({ id, organization_id, owner_id, storage_name: name, size, sha256 }) => ({
      id,
      space: spaceOf(organization_id, owner_id),
      name,
      size,
      sha256,
    }));
  }

  async rename({ id, name: old }: HeldBlob, name: string): Promise<boolean> {
    const [rows] = await this.dataSource.query<[object[], number]>(RENAME, [id, old, name]);
    return rows.length === 1;
  }

  async isHeld({ id, name }: HeldBlob): Promise<boolean> {
    return (await this.dataSource.query<object[]>(HELD, [id, name])).length === 1;
  }
}
