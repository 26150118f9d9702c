import { StoryGraph } from "@/app/(staff)/operations/stories/[commandId]/_components/story-graph";
import { Part } from "./part";
import { storyHead, storyRecords } from "./story-samples";

/** A command that was sent three times, of which one consumer needed a replay: every kind of node and of line. */
export function StoryStates() {
  return (
    <Part name="StoryGraph">
      <StoryGraph head={storyHead} records={storyRecords} clinic={undefined} />
    </Part>
  );
}
