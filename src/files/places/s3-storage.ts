import { AppError, isUuid } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import type { GetObjectCommandOutput, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { Injectable } from '@nestjs/common';
import {
  BLOB_AREAS,
  type BlobBatch,
  type BlobStorage,
  type BlobArea,
  type BlobSpace,
  S3_MARK,
  checkedPart,
  tooLarge,
} from './blob-storage.types';
import { S3Connection, isMissingObject } from './s3-connection';

/** Name of our SHA-256 in the metadata of an object, in hex. */
const SHA256 = 'sha256';
/** Attempts to read a body that ends early or was damaged on the way. */
const READ_ATTEMPTS = 2;
const CONCURRENT_DELETES = 8;
const DAY_MS = 24 * 60 * 60_000;

const isOurs = (name: string): boolean => name.startsWith(S3_MARK) && isUuid(name.slice(S3_MARK.length));
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/**
 * Uploaded bytes in a bucket of an S3-compatible store. Uploads are in memory as a whole, so each is one
 * atomic PUT, which leaves no parts behind as a multipart upload may. The store verifies SHA-256 before it keeps an
 * object; every read of a whole object verifies it again.
 */
@Injectable()
export class S3Storage implements BlobStorage {
  readonly name = 's3';

  constructor(private readonly connection: S3Connection) {}

  async put(space: BlobSpace, name: string, bytes: Buffer): Promise<void> {
    const digest = sha256(bytes);
    await this.connection.send('put', (client, { PutObjectCommand }, abortSignal) =>
      client.send(
        new PutObjectCommand({
          ...this.object(space, name),
          Body: bytes,
          ContentLength: bytes.length,
          ContentType: 'application/octet-stream',
          ChecksumSHA256: digest.toString('base64'),
          Metadata: { [SHA256]: digest.toString('hex') },
        }),
        { abortSignal },
      ),
    );
  }

  async read(space: BlobSpace, name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    for (let attempt = 1; ; attempt += 1) {
      const bytes = await this.readOnce(space, name, maxBytes, signal);
      if (bytes !== null) return bytes;
      if (attempt === READ_ATTEMPTS) throw new AppError('unavailable', 'The stored file is damaged');
    }
  }

  readStart(space: BlobSpace, name: string, length: number): Promise<Buffer> {
    if (length === 0) return Promise.resolve(Buffer.alloc(0));
    return this.connection.send('read', async (client, { GetObjectCommand }, abortSignal) => {
      const command = new GetObjectCommand({ ...this.object(space, name), Range: `bytes=0-${length - 1}` });
      const answer = await client.send(command, { abortSignal });
      return (await bodyOf(answer, length)).subarray(0, length);
    });
  }

  async size(space: BlobSpace, name: string): Promise<number | null> {
    const found = await this.head(space, name);
    return found === null ? null : (found.ContentLength ?? 0);
  }

  async remove(space: BlobSpace, name: string): Promise<void> {
    await this.removeKey(this.object(space, name).Key);
  }

  async removeSpace(space: BlobSpace): Promise<void> {
    const prefix = `${this.key(space, '')}`;
    for await (const keys of this.keysBelow(prefix)) {
      for (let first = 0; first < keys.length; first += CONCURRENT_DELETES) {
        await Promise.all(keys.slice(first, first + CONCURRENT_DELETES).map((key) => this.removeKey(key)));
      }
    }
  }

  async *batches(): AsyncGenerator<BlobBatch> {
    for (const area of BLOB_AREAS) {
      for await (const keys of this.keysBelow(`${this.connection.settings.prefix}${area}/`)) {
        yield* this.grouped(area, keys);
      }
    }
  }

  async removeOlder(batch: BlobBatch, name: string, time: number): Promise<number | null> {
    const space = [batch.area, batch.organizationId, batch.holderId] as const;
    const found = await this.head(space, name);
    // If the store gives no date, the object counts as new.
    const written = found?.LastModified?.getTime() ?? Date.now() + DAY_MS;
    if (found === null || written >= time) return null;
    await this.remove(space, name);
    return found.ContentLength ?? 0;
  }

  private head(space: BlobSpace, name: string): Promise<HeadObjectCommandOutput | null> {
    return this.connection.send('head', async (client, { HeadObjectCommand }, abortSignal) => {
      try {
        return await client.send(new HeadObjectCommand(this.object(space, name)), { abortSignal });
      } catch (error) {
        if (isMissingObject(error)) return null;
        throw error;
      }
    });
  }

  /** Null when the body ended early or does not have the SHA-256 of the upload. */
  private readOnce(space: BlobSpace, name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer | null> {
    return this.connection.send(
      'read',
      async (client, { GetObjectCommand }, abortSignal) => {
        const answer = await client.send(new GetObjectCommand(this.object(space, name)), { abortSignal });
        let bytes: Buffer;
        try {
          bytes = await bodyOf(answer, maxBytes);
        } catch (error) {
          if (error instanceof AppError || abortSignal.aborted) throw error;
          return null;
        }
        const expected = answer.Metadata?.[SHA256];
        return expected === undefined || sha256(bytes).toString('hex') === expected ? bytes : null;
      },
      signal,
    );
  }

  private async removeKey(key: string): Promise<void> {
    const target = { Bucket: this.connection.bucket, Key: key };
    await this.connection.send('delete', (client, { DeleteObjectCommand }, abortSignal) =>
      client.send(new DeleteObjectCommand(target), { abortSignal }),
    );
  }

  /** Pages of at most 1,000 keys, in order. */
  private async *keysBelow(prefix: string): AsyncGenerator<readonly string[]> {
    let token: string | undefined;
    do {
      const page = await this.connection.send('list', (client, { ListObjectsV2Command }, abortSignal) =>
        client.send(
          new ListObjectsV2Command({ Bucket: this.connection.bucket, Prefix: prefix, ContinuationToken: token }),
          { abortSignal },
        ),
      );
      yield (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  private *grouped(area: BlobArea, keys: readonly string[]): Generator<BlobBatch> {
    const spaces = new Map<string, { organizationId: string; holderId: string; names: string[] }>();
    for (const key of keys) {
      const [, organizationId = '', holderId = '', name = '', ...rest] = key
        .slice(this.connection.settings.prefix.length)
        .split('/');
      if (rest.length > 0 || !isUuid(organizationId) || !isUuid(holderId) || !isOurs(name)) continue;
      const space = spaces.get(`${organizationId}/${holderId}`) ?? { organizationId, holderId, names: [] };
      space.names.push(name);
      spaces.set(`${organizationId}/${holderId}`, space);
    }
    for (const space of spaces.values()) yield { area, ...space };
  }

  private object(space: BlobSpace, name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.connection.bucket, Key: this.key(space, checkedPart(name)) };
  }

  private key(space: BlobSpace, name: string): string {
    return `${this.connection.settings.prefix}${space.map(checkedPart).join('/')}/${name}`;
  }
}

/** Stops reading at `maxBytes`. */
async function bodyOf({ Body, ContentLength = 0 }: GetObjectCommandOutput, maxBytes: number): Promise<Buffer> {
  const body = Body as NodeJS.ReadableStream & { destroy(): void };
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    if (ContentLength > maxBytes) throw tooLarge(maxBytes);
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk as Buffer);
    }
  } finally {
    body.destroy();
  }
  if (length < ContentLength) throw new Error('The body ended early');
  return Buffer.concat(chunks, length);
}
