import type { Client } from 'pg';
import type { Table } from './catalogue';

/** Equal for equal rows in any order. */
export interface Fingerprint {
  readonly rows: number;
  /** 32 hexadecimal digits. */
  readonly checksum: string;
  /** Bytes of all rows as text, and of the longest. */
  readonly bytes: number;
  readonly longest: number;
}

/** Makes both servers format values alike. */
export const SAME_TEXTS = `
  SET LOCAL DateStyle TO 'ISO, MDY';
  SET LOCAL IntervalStyle TO 'postgres';
  SET LOCAL TimeZone TO 'UTC';
  SET LOCAL bytea_output TO 'hex';
  SET LOCAL extra_float_digits TO 1`;

/** Sums of both halves of the row digests: sums ignore the order, and duplicates do not cancel out. */
export async function fingerprintOf(client: Client, { name, columns }: Table): Promise<Fingerprint> {
  const row = `ROW(${columns.map((column) => column.name).join(', ')})::text`;
  const { rows } = await client.query<{ rows: string; high: string; low: string; bytes: string; longest: number }>(`
    SELECT count(*)::text AS rows, coalesce(sum(('x' || left(digest, 16))::bit(64)::bigint), 0)::text AS high,
      coalesce(sum(('x' || right(digest, 16))::bit(64)::bigint), 0)::text AS low,
      coalesce(sum(size), 0)::text AS bytes, coalesce(max(size), 0) AS longest
    FROM (SELECT md5(line) AS digest, octet_length(line) AS size FROM (SELECT ${row} AS line FROM ${name}) lines) digests`);
  const found = rows[0];
  if (found === undefined) throw new Error(`${name} cannot be counted`);
  return {
    rows: Number(found.rows),
    checksum: hex(found.high) + hex(found.low),
    bytes: Number(found.bytes),
    longest: Number(found.longest),
  };
}

const hex = (sum: string): string => BigInt.asUintN(64, BigInt(sum)).toString(16).padStart(16, '0');

export const isEqual = (one: Fingerprint, other: Fingerprint): boolean =>
  one.rows === other.rows && one.checksum === other.checksum;
