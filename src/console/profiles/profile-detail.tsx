import type { Profile, Profiles } from "../api/router.js";
import { Bar } from "../components/bar.js";
import { Button, Icon } from "../components/controls.js";
import { count, dollars, percent } from "../components/format.js";
import { Plain } from "../components/text.js";
import { BasisPill } from "./basis-pill.js";
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
  return (
    <section class="card padded stack" aria-labelledby="profile-title">
      <div class="detail-head">
        <div>
          <h2 id="profile-title" class="detail-title">
            <Plain text={profile.model} />
          </h2>
          <p class="muted small">
            <BasisPill basis={profile.basis} /> · expected quality {percent(profile.expected_quality)} ±{" "}
            {percent(profile.quality_stderr)} · {count(profile.samples)} graded answers · mean cost{" "}
            {dollars(profile.mean_cost_usd)}
            {profile.predecessor !== null && ` · predecessor: ${profile.predecessor}`}
            {profile.dominated_by !== null && ` · never chosen: ${dominatedText(profile.dominated_by)}`}
          </p>
        </div>
        <Button look="quiet slim" aria-label="Close the profile" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <h3>Graded answers by benchmark</h3>
      <p class="muted small">
        {benchmarkScores.length === 0
          ? "None: the expectations for this model are based on published scores."
          : "Mean score on the prompts of each benchmark that the model was graded on. The mark is the mean of all models."}
      </p>
      <ul class="benchmark-scores">
        {benchmarkScores.map(({ benchmark, samples, mean_quality: quality }) => (
          <li key={benchmark}>
            <span class="benchmark-name">
              <Plain text={benchmark} />
            </span>
            <Bar share={quality} mark={profiles.means.get(benchmark)} />
            <span class="number">{percent(quality)}</span>
            <span class="number muted small">
              all {percent(profiles.means.get(benchmark) ?? null)} · {count(samples)} samples
            </span>
          </li>
        ))}
      </ul>
      {profile.published.length > 0 && <Published published={profile.published} />}
    </section>
  );
}

/** Where the scores were published that a model was placed by; the figures stay there. */
function Published({ published }: Pick<Profile, "published">) {
  return (
    <>
      <h3>Published scores</h3>
      <p class="muted small">
        Published scores that the estimates are based on, with their dates. See the publishers for the
        figures.
      </p>
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
