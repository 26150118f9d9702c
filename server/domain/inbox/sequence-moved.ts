/** Another worker applied an event of the same aggregate meanwhile: nothing was committed, look at the order again. */
export class SequenceMoved extends Error {
  readonly name = "SequenceMoved";
}
