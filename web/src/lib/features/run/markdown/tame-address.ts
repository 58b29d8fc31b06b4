/** A web page, or a place of this service. Two slashes, of whichever kind, would begin the name of a host (URL Standard, “relative slash state”). */
export const isTameAddress = (address: string): boolean =>
  /^(?:https?:\/\/|\/(?![/\\]))/i.test(address) && !/[\t\n\r]/.test(address);
