import { Injectable } from '@nestjs/common';

/** Where the process stands between start and stop; readiness turns false before the first connection is refused. */
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
