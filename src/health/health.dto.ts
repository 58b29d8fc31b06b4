export class LivenessDto {
  status!: 'ok';
}

export class ReadinessDto {
  status!: 'ready' | 'not_ready';
  /** One entry per thing that serving needs: `ok`, or what is wrong. */
  checks!: Record<string, string>;
}
