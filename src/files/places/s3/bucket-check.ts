import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Finding, finding } from '../../../infrastructure/findings';
import { faultOf, reasonOf } from './s3.errors';
import { S3Connection } from './s3-connection';

/** Every upload sends this header, which a store may not support. */
const SHA256_OF_OK = createHash('sha256').update('ok').digest('base64');
/** A person waits for the result. */
const PATIENCE_MS = 10_000;

/** Checks the bucket, for the page "Health" and the command `doctor`. */
@Injectable()
export class BucketCheck {
  constructor(private readonly connection: S3Connection) {}

  /** Writes, reads, lists and deletes an object: each needs its own permission. No findings without a bucket. */
  async check(): Promise<readonly Finding[]> {
    const { bucket, prefix } = this.connection.settings;
    if (bucket === null) return [];
    const target = { Bucket: bucket, Key: `${prefix}health/${randomUUID()}` };
    const begun = performance.now();
    try {
      await this.connection.sendRaw(async (client, sdk, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ ...target, Body: 'ok', ChecksumSHA256: SHA256_OF_OK }), {
          abortSignal,
        });
        const { Body } = await client.send(new sdk.GetObjectCommand(target), { abortSignal });
        await Body?.transformToString();
        await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: target.Key }), { abortSignal });
        await client.send(new sdk.DeleteObjectCommand(target), { abortSignal });
      }, AbortSignal.timeout(PATIENCE_MS));
      return [finding('bucket.ok', { bucket, ms: Math.round(performance.now() - begun) })];
    } catch (error) {
      return [finding(`bucket.${faultOf(error)}`, { bucket, reason: reasonOf(error) })];
    }
  }
}
