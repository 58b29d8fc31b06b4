import { once } from 'node:events';
import { request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, type INestApplication, Post } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { NextFunction, Request, Response } from 'express';
import { AcceptFiles, ProblemFilter, type UploadedFile, Uploads } from '../../src/infrastructure/http';
import { UPLOADS } from '../../src/infrastructure/http/memory-budget';
import { multipart } from '../support/multipart';
import { until } from '../support/until';

const MEBIBYTE = 1024 * 1024;
const LIMIT = { fileBytes: MEBIBYTE, totalBytes: MEBIBYTE };
const ROOM = 1.5 * MEBIBYTE;
/** What other uploads of the organization hold already. */
const others = UPLOADS.claim('a');

let begun = 0;
let ended = 0;
let goOn: () => void = () => undefined;
let held: Promise<void> = Promise.resolve();

@Controller('uploads')
class UploadsController {
  @Post()
  @AcceptFiles(LIMIT)
  async upload(@Uploads() uploads: readonly UploadedFile[]): Promise<{ bytes: number }> {
    begun += 1;
    await held;
    ended += 1;
    return { bytes: uploads.reduce((sum, { size }) => sum + size, 0) };
  }
}

let app: INestApplication;
let url: string;

beforeAll(async () => {
  others.take(128 * MEBIBYTE - ROOM);
  const module = await Test.createTestingModule({ controllers: [UploadsController] }).compile();
  app = module.createNestApplication({ logger: false });
  app.useGlobalFilters(new ProblemFilter(app.get(Reflector)));
  app.use((request: Request & { caller?: object }, _response: Response, next: NextFunction) => {
    request.caller = { organizationId: request.headers['x-organization'] };
    next();
  });
  await app.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/uploads`;
});
afterAll(async () => {
  goOn();
  others.release();
  app.getHttpServer().closeAllConnections();
  await app.close();
});

const { body, type } = multipart([{ filename: 'long.txt', content: 'x'.repeat(0.9 * MEBIBYTE) }]);

async function upload(sent = body): Promise<number> {
  const headers = { 'content-type': type, 'x-organization': 'a' };
  const response = await fetch(url, { method: 'POST', headers, body: sent });
  await response.arrayBuffer();
  return response.status;
}

/** Sends the beginning of the body and leaves when it is time. Resolves when the service has seen it leave. */
async function leaveAfter(bytes: number, time: () => Promise<unknown>): Promise<void> {
  const headers = { 'content-type': type, 'x-organization': 'a', 'content-length': body.length };
  const arrived = once(app.getHttpServer(), 'request') as Promise<[unknown, ServerResponse]>;
  const request = send(url, { method: 'POST', headers }).on('error', () => undefined);
  request.write(body.subarray(0, bytes));
  const [, response] = await arrived;
  const left = once(response, 'close');
  await time();
  request.destroy();
  await left;
}

it('an upload counts until the route has done with it, whether its client is still there or not', async () => {
  held = new Promise((resolve) => (goOn = resolve));
  const before = begun;
  await leaveAfter(body.length, () => until(() => begun > before));
  expect(await upload()).toBe(503);
  goOn();
  await until(() => ended > before);
  expect(await upload()).toBe(201);
});

it('uploads that were broken off hold nothing', async () => {
  const before = begun;
  for (let n = 0; n < 3; n += 1) {
    await leaveAfter(0.8 * MEBIBYTE, () => until(() => UPLOADS.size > others.size + MEBIBYTE / 2));
    await until(() => UPLOADS.size === others.size);
  }
  expect(begun).toBe(before);
  expect(await upload()).toBe(201);
});

it('uploads that were refused hold nothing', async () => {
  const twice = ['a.txt', 'b.txt'].map((filename) => ({ filename, content: 'x'.repeat(0.6 * MEBIBYTE) }));
  const misnamed = [{ filename: 'a\tb', content: 'x'.repeat(0.9 * MEBIBYTE) }];
  for (const [parts, status] of [
    [twice, 413],
    [misnamed, 400],
    [twice, 413],
    [misnamed, 400],
  ] as const) {
    expect(await upload(multipart(parts).body)).toBe(status);
  }
  expect(await upload()).toBe(201);
});
