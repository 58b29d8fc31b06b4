import type { Caller } from '@bellwether/kernel';
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, clientAbortSignal, CurrentCaller, ForPeople } from '../../infrastructure/http';
import { chunkHash } from '../search/chunk.types';
import { QueryAnswerDto, QueryKnowledgeBaseDto } from './query.dto';
import { RetrievalService } from './retrieval.service';

@ApiTags('Knowledge bases')
@ForPeople()
@Controller('api/v1/knowledge-bases')
export class QueryController {
  constructor(private readonly retrieval: RetrievalService) {}

  @Post(':id/query')
  @HttpCode(200)
  @Access({ scope: 'read', summary: 'Find passages in a knowledge base' })
  async query(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { query, top_k, threshold, mode, parent, rerank, max_tokens, embedding_model }: QueryKnowledgeBaseDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QueryAnswerDto> {
    const started = performance.now();
    const { passages, collections, question, warnings } = await this.retrieval.query(caller, id, {
      text: query,
      topK: top_k,
      threshold,
      parent,
      signal: clientAbortSignal(response),
      ...(mode === undefined ? {} : { mode }),
      ...(rerank === undefined ? {} : { rerank }),
      ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
      ...(embedding_model === undefined ? {} : { embeddingModel: embedding_model }),
    });
    return {
      results: passages.map(({ similarity, text, metadata, chunks }) => ({
        similarity,
        data: text,
        metadata: chunks === undefined ? metadata : { ...metadata, chunks: chunks.map(chunkHash) },
      })),
      count: passages.length,
      mode: collections[0]?.mode ?? 'keyword',
      match: question.match,
      searched_for: question.searchedFor,
      languages: question.languages,
      warnings: [...warnings],
      timing: { total_ms: Math.round((performance.now() - started) * 100) / 100 },
    };
  }
}
