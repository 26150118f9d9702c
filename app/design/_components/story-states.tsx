"use client";

import { StoryLines } from "@/app/(staff)/operations/stories/_components/story-lines";
import { StoryGraph } from "@/app/(staff)/operations/stories/[commandId]/_components/story-graph";
import { StoryOpenWork } from "@/app/(staff)/operations/stories/[commandId]/_components/story-open";
import { Part } from "./part";
import { at } from "./samples";
import { gapsHead, storyHead, storyLines, storyRecords } from "./story-samples";

const nothing = () => {};

/** Commands with each end; one that was sent three times, of which one consumer needed a replay: every kind of node and of line; every kind of gap. */
export function StoryStates() {
  return (
    <>
      <Part name="StoryGraph">
        <StoryGraph head={storyHead} records={storyRecords} clinic={undefined} />
      </Part>
      <Part name="StoryLines">
        <StoryLines lines={storyLines} hrefOf={() => "/design"} focusId={null} onFocus={nothing} onOpen={nothing} />
      </Part>
      <Part name="StoryOpenWork">
        <StoryOpenWork head={gapsHead} nowMs={at} clinic={undefined} />
      </Part>
    </>
  );
}
