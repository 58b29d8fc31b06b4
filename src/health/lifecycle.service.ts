import { Injectable } from '@nestjs/common';

/** State of the process. Readiness turns false before connections are refused. */
@Injectable()
export class Lifecycle {
  private state: 'starting' | 'serving' | 'draining' = 'starting';

  serving(): void {
    if (this.state === 'starting') this.state = 'serving';
  }

  draining(): void {
    this.state = 'draining';
  }

  get phase(): 'starting' | 'serving' | 'draining' {
    return this.state;
  }
}
