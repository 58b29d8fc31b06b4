// The usual way: a Nest controller on Express that asks the model through the official SDK's parsed stream.
import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import OpenAI from 'openai';

const openai = new OpenAI({ apiKey: 'sk-bench', baseURL: `${process.env.UPSTREAM_URL}/v1`, maxRetries: 0 });

class ChatController {
  health() {
    return 'ok';
  }

  async complete(body, res) {
    const abort = new AbortController();
    res.on('close', () => abort.abort());
    const answer = await openai.chat.completions.create(body, { signal: abort.signal });
    if (!body.stream) return res.json(answer);
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
    try {
      for await (const chunk of answer) res.write(`data: ${JSON.stringify(chunk)}\n\n`);
      res.end('data: [DONE]\n\n');
    } catch (error) {
      if (!abort.signal.aborted) res.destroy(error);
    }
  }
}

// Decorators as calls: this file runs without a compiler.
const on = (method, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(ChatController.prototype, method);
  for (const decorate of decorators) decorate(ChatController.prototype, method, descriptor);
};
on('health', Get('health'));
on('complete', Post('v1/chat/completions'), HttpCode(200));
Body()(ChatController.prototype, 'complete', 0);
Res()(ChatController.prototype, 'complete', 1);
Controller()(ChatController);

class BenchModule {}
Module({ controllers: [ChatController] })(BenchModule);

const app = await NestFactory.create(BenchModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
