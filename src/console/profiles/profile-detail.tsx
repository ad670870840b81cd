import type { Profile, Profiles } from "../api/router.js";
import { Bar } from "../components/bar.js";
import { Button, Icon } from "../components/controls.js";
import { count, counted, dollars, percent } from "../components/format.js";
import { Section } from "../components/page.js";
import { numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { choicesFor } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import { dominatedText } from "./profile-table.js";
import { publishedSources } from "./published-sources.js";

interface ProfileDetailProps {
  readonly profile: Profile;
  readonly profiles: Profiles;
  readonly onClose: () => void;
}

/** One model, benchmark by benchmark. */
export function ProfileDetail({ profile, profiles, onClose }: ProfileDetailProps) {
  const benchmarkScores = (profiles.benchmarkScores.get(profile.model) ?? []).toSorted(
    (left, right) => right.samples - left.samples,
  );
  const { model, predecessor, dominated_by: dominator } = profile;
  return (
    <Section
      title={<Plain text={model} />}
      lead={[
        `Expected quality ${percent(profile.expected_quality)} ± ${percent(profile.quality_stderr)}`,
        counted(profile.samples, "graded answer"),
        `mean cost ${dollars(profile.mean_cost_usd)}`,
        ...(predecessor === null ? [] : [`predecessor: ${predecessor}`]),
        ...(dominator === null ? [] : [`never chosen: ${dominatedText(dominator)}`]),
      ].join(" · ")}
      actions={
        <>
          <Button look="slim" onClick={() => openPause({ choices: choicesFor(model, null) })}>
            Pause…
          </Button>
          <Button look="slim" onClick={onClose}>
            <Icon name="back" /> All models
          </Button>
        </>
      }
    >
      <TableFrame
        label="Graded answers by benchmark"
        columns={[
          { head: "Benchmark", cell: ({ benchmark }) => <Plain text={benchmark} /> },
          {
            head: "Mean score",
            hint: "On the prompts that the model was graded on; the mark is the mean of all models",
            cell: ({ benchmark, mean_quality: quality }) => (
              <span class="bar-cell">
                <Bar share={quality} mark={profiles.means.get(benchmark)} />
                <span class="number">{percent(quality)}</span>
              </span>
            ),
          },
          numeric<Score>("All models", ({ benchmark }) => percent(profiles.means.get(benchmark) ?? null)),
          numeric<Score>("Samples", ({ samples }) => count(samples)),
        ]}
        rows={benchmarkScores}
        keyOf={({ benchmark }) => benchmark}
        empty={{ title: "No graded answers", text: "What is expected is based on published scores." }}
      />
      {profile.published.length > 0 && <Published published={profile.published} />}
    </Section>
  );
}

type Score = NonNullable<ReturnType<Profiles["benchmarkScores"]["get"]>>[number];

/** Where the scores were published that a model was placed by; the figures stay there. */
function Published({ published }: Pick<Profile, "published">) {
  return (
    <>
      <h3>Published scores</h3>
      <ul class="published">
        {publishedSources(published).map(({ source, href, dates, benchmarks }) => (
          <li key={source}>
            {href === null ? (
              <Plain text={source} />
            ) : (
              <a href={href} target="_blank" rel="noreferrer">
                <Plain text={source} />
              </a>
            )}
            {dates !== null && ` (${dates})`}:{" "}
            <span class="muted">
              <Plain text={benchmarks.join(", ")} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
