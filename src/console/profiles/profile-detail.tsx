import type { Profile, Profiles } from "../api/profiles.js";
import { Bar } from "../parts/bar.js";
import { count, dollars, percent } from "../parts/format.js";
import { Icon } from "../parts/icon.js";
import { Plain } from "../parts/plain.js";

interface ProfileDetailProps {
  readonly profile: Profile;
  readonly profiles: Profiles;
  readonly onClose: () => void;
}

/** One model, benchmark by benchmark. */
export function ProfileDetail({ profile, profiles, onClose }: ProfileDetailProps) {
  const strengths = (profiles.strengths.get(profile.model) ?? []).toSorted(
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
            {count(profile.samples)} samples · mean quality {percent(profile.mean_quality)} · mean cost{" "}
            {dollars(profile.mean_cost_usd)}. The mark is the mean of all models.
          </p>
        </div>
        <button class="button quiet slim" type="button" aria-label="Close the profile" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <ul class="strengths">
        {strengths.map(({ benchmark, samples, mean_quality: quality }) => (
          <li key={benchmark}>
            <span class="strength-name">
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
    </section>
  );
}
