import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { RerankerService } from '../../../src/connectors';
import {
  chunkHash,
  hybridWeightOf,
  type KnowledgeBaseEntity,
  KnowledgeBasePermissions,
  type RetrievalMode,
  RetrievalService,
  VectorStore,
} from '../../../src/knowledge-bases';
import { MOST_JUDGEMENTS } from './judgements.service';
import type { JudgementEntity } from './judgement.entity';
import { JudgementRepository } from './judgement.repository';
import type { AlternativeDto, EvaluateDto, EvaluationDto } from './evaluation.dto';

/** Chunks of one judged passage, by the hash of their text. */
export interface Judged {
  readonly chunks: readonly string[];
  readonly isRight: boolean;
}

interface RankingFigures {
  /** 0..1 (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 2002), gain 1 or 0. */
  readonly ndcg: number;
  /** Whether a right passage is among the first. */
  readonly hit: boolean;
  /** Share of the passages shown that somebody has judged. */
  readonly judged: number;
}

/**
 * Right passages of one question. Judgements that share chunks are about one passage. A chunk that was judged wrong alone
 * does not make a longer passage right.
 */
export function rightPassages(judgements: readonly Judged[], present: ReadonlySet<string>): ReadonlySet<string>[] {
  const wrong = new Set(judgements.flatMap(({ isRight, chunks }) => (isRight ? [] : chunks)));
  const groups: Set<string>[] = [];
  for (const { isRight, chunks } of judgements) {
    if (!isRight) continue;
    const rest = chunks.filter((chunk) => !wrong.has(chunk));
    const own = new Set((rest.length === 0 ? chunks : rest).filter((chunk) => present.has(chunk)));
    if (own.size === 0) continue;
    const touching = groups.filter((group) => [...group].some((chunk) => own.has(chunk)));
    for (const group of touching) {
      for (const chunk of group) own.add(chunk);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(own);
  }
  return groups;
}

/** `shown`: chunks of each passage that a search found, best first. Each right passage counts where it is found first. */
export function figuresOf(
  shown: readonly (readonly string[])[],
  judgements: readonly Judged[],
  right: readonly ReadonlySet<string>[],
  at: number,
): RankingFigures {
  const top = shown.slice(0, at);
  const left = new Set(right);
  let gained = 0;
  for (const [place, chunks] of top.entries()) {
    const found = [...left].filter((passage) => chunks.some((chunk) => passage.has(chunk)));
    for (const passage of found) left.delete(passage);
    if (found.length > 0) gained += discount(place);
  }
  let ideal = 0;
  for (let place = 0; place < Math.min(at, right.length); place++) ideal += discount(place);
  const known = new Set(judgements.flatMap(({ chunks }) => chunks));
  const judged = top.filter((chunks) => chunks.some((chunk) => known.has(chunk))).length;
  return {
    ndcg: ideal === 0 ? 0 : gained / ideal,
    hit: left.size < right.length,
    judged: top.length === 0 ? 1 : judged / top.length,
  };
}

const discount = (place: number): number => 1 / Math.log2(place + 2);

/** Settings that decide the order of passages. */
interface RankingSettings {
  /** Weight of the vectors: 0 searches by words alone. */
  readonly hybrid_weight: number;
  readonly rerank: boolean;
}

const WEIGHTS = [0, 0.3, 0.5, 0.7];
const DEFAULT_WEIGHT = 0.5;

const isSame = (one: RankingSettings, other: RankingSettings): boolean =>
  one.hybrid_weight === other.hybrid_weight && one.rerank === other.rerank;

const currentSettings = (row: KnowledgeBaseEntity, hasVectors: boolean): RankingSettings => ({
  hybrid_weight: hasVectors ? hybridWeightOf(row) : 0,
  rerank: row.rerank,
});

/** The current settings first, then those that can run: some weights, and the reranker over the best of them. */
function alternativesOf(
  current: RankingSettings,
  can: { readonly vectors: boolean; readonly rerank: boolean },
): RankingSettings[] {
  const weights = can.vectors ? WEIGHTS : [0];
  const all = [
    current,
    ...weights.map((hybrid_weight) => ({ hybrid_weight, rerank: false })),
    ...(can.rerank ? [{ hybrid_weight: can.vectors ? DEFAULT_WEIGHT : 0, rerank: true }] : []),
  ];
  return all.filter((each, place) => all.findIndex((other) => isSame(each, other)) === place);
}

/** The wanted settings with the current ones first. */
const withCurrent = (current: RankingSettings, wanted: readonly RankingSettings[]): RankingSettings[] => [
  current,
  ...wanted.filter((each) => !isSame(each, current)),
];

const MOST_QUESTIONS = 50;
/** Time limit of a comparison: a person waits for it. */
const MOST_MS = 60_000;

/** A question with a right passage that is in the material. */
interface JudgedQuestion {
  readonly text: string;
  readonly judgements: readonly Judged[];
  readonly right: readonly ReadonlySet<string>[];
}

/** Figures of one alternative, a set for each question so far. */
interface Tally {
  readonly settings: RankingSettings;
  readonly figures: RankingFigures[];
  readonly warnings: Set<string>;
  mode: RetrievalMode;
}

/** Compares settings of a knowledge base on the questions that its owner has judged. Nothing is changed. */
@Injectable()
export class EvaluationService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly judgements: JudgementRepository,
    private readonly retrieval: RetrievalService,
    private readonly rerankers: RerankerService,
    private readonly vectors: VectorStore,
  ) {}

  async evaluate(
    principal: Principal,
    knowledgeBaseId: string,
    { at, alternatives }: EvaluateDto,
    signal: AbortSignal,
  ): Promise<EvaluationDto> {
    const row = await this.permissions.owned(principal, knowledgeBaseId);
    const scope = this.judgements.within(row.organizationId);
    const judged = await scope.all(row.id, null, MOST_JUDGEMENTS);
    const present = await scope.present(
      row.id,
      judged.flatMap(({ chunks }) => chunks),
    );
    const questions = questionsOf(judged, present);
    const tallies = await this.settingsOf(row, alternatives);
    const asked = await this.ask(principal, row, { questions, tallies, at, signal });
    return {
      at,
      questions: asked,
      left_out: questions.length - asked,
      outdated: judged.filter(({ chunks }) => !chunks.some((chunk) => present.has(chunk))).length,
      alternatives: tallies.map(toDto),
    };
  }

  private async settingsOf(row: KnowledgeBaseEntity, wanted: EvaluateDto['alternatives']): Promise<Tally[]> {
    const vectors = this.vectors.available && row.vectorIndex !== null;
    const current = currentSettings(row, vectors);
    const rerank = await this.rerankers.isConfigured(row.organizationId);
    const all = wanted === undefined ? alternativesOf(current, { vectors, rerank }) : withCurrent(current, wanted);
    return all.map((settings) => ({ settings, figures: [], warnings: new Set(), mode: 'keyword' }));
  }

  /** Number of the questions that every alternative was asked before the time was over. */
  private async ask(
    principal: Principal,
    row: KnowledgeBaseEntity,
    { questions, tallies, at, signal }: Comparison,
  ): Promise<number> {
    const deadline = performance.now() + MOST_MS;
    let asked = 0;
    for (const { text, judgements, right } of questions.slice(0, MOST_QUESTIONS)) {
      if (performance.now() > deadline) break;
      // One after the other, so that the question is embedded once and the service stays responsive.
      for (const tally of tallies) {
        const query = { text, topK: at, threshold: 0, rerank: tally.settings.rerank, signal };
        const weighted = weightedRow(row, tally.settings);
        const { passages, collections, warnings } = await this.retrieval.queryWith(principal, weighted, query);
        const shown = passages.map(({ chunks = [] }) => chunks.map(chunkHash));
        tally.figures.push(figuresOf(shown, judgements, right, at));
        for (const warning of warnings) tally.warnings.add(warning);
        tally.mode = collections[0]?.mode ?? 'keyword';
      }
      asked += 1;
    }
    return asked;
  }
}

interface Comparison {
  readonly questions: readonly JudgedQuestion[];
  readonly tallies: readonly Tally[];
  readonly at: number;
  readonly signal: AbortSignal;
}

/** The current weight stays as it is: without a value of its own it depends on the question. */
const weightedRow = (row: KnowledgeBaseEntity, { hybrid_weight }: RankingSettings): KnowledgeBaseEntity =>
  hybrid_weight === currentSettings(row, true).hybrid_weight ? row : { ...row, hybridWeight: hybrid_weight };

/** Questions with a right passage in the material, the newest first. */
function questionsOf(judged: readonly JudgementEntity[], present: ReadonlySet<string>): JudgedQuestion[] {
  const byQuestion = new Map<string, JudgementEntity[]>();
  for (const row of judged) byQuestion.set(row.questionHash, [...(byQuestion.get(row.questionHash) ?? []), row]);
  return [...byQuestion.values()].flatMap((judgements) => {
    const right = rightPassages(judgements, present);
    return right.length === 0 ? [] : [{ text: judgements[0]?.question ?? '', judgements, right }];
  });
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.round((1e4 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1e4;

const toDto = ({ settings, figures, mode, warnings }: Tally, place: number): AlternativeDto => ({
  ...settings,
  current: place === 0,
  mode,
  ndcg: mean(figures.map(({ ndcg }) => ndcg)),
  hit_rate: mean(figures.map(({ hit }) => Number(hit))),
  judged: mean(figures.map(({ judged }) => judged)),
  warnings: [...warnings],
});
