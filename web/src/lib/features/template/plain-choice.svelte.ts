const STORED = 'bellwether.template.plain';

/** Whether this browser edits templates as plain text; remembered. */
class PlainChoice {
  on = $state(localStorage.getItem(STORED) === 'yes');

  set(on: boolean): void {
    this.on = on;
    localStorage.setItem(STORED, on ? 'yes' : 'no');
  }
}

export const plainChoice = new PlainChoice();
