;; Weighted sums over the rows of the profiles: the part of a decision that grows with the number of models. Baseline SIMD
;; only (no relaxed-simd), so that any engine since V8 9.1 runs it. All addresses are bytes in the one memory; the caller
;; owns its layout (score-memory.ts) and guarantees the bounds. Rows are not padded: loads need no alignment, and what is
;; read past a row's end only reaches lanes that are not read.
(module
  (import "scores" "memory" (memory 1))

  ;; $out[column] = Σ share · table[row, column] over the $count rows (u32, at $rows) with their shares (f32, at $shares),
  ;; for the f32 columns of $stride bytes a row, 16 columns at a time: $out must have room for a multiple of 16.
  (func (export "blend")
    (param $table i32) (param $stride i32) (param $rows i32) (param $shares i32) (param $count i32) (param $out i32)
    (local $rows_end i32) (local $out_end i32) (local $row i32) (local $share_at i32) (local $at i32) (local $share v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $rows_end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $out_end (i32.add (local.get $out) (local.get $stride)))
    (loop $columns
      (local.set $a (v128.const f32x4 0 0 0 0))
      (local.set $b (v128.const f32x4 0 0 0 0))
      (local.set $c (v128.const f32x4 0 0 0 0))
      (local.set $d (v128.const f32x4 0 0 0 0))
      (local.set $row (local.get $rows))
      (local.set $share_at (local.get $shares))
      (block $added
        (br_if $added (i32.eqz (local.get $count)))
        (loop $next
          (local.set $at (i32.add (local.get $table) (i32.mul (i32.load (local.get $row)) (local.get $stride))))
          (local.set $share (v128.load32_splat (local.get $share_at)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $share) (v128.load (local.get $at)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $share) (v128.load offset=16 (local.get $at)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $share) (v128.load offset=32 (local.get $at)))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $share) (v128.load offset=48 (local.get $at)))))
          (local.set $share_at (i32.add (local.get $share_at) (i32.const 4)))
          (local.set $row (i32.add (local.get $row) (i32.const 4)))
          (br_if $next (i32.ne (local.get $row) (local.get $rows_end)))))
      (v128.store (local.get $out) (local.get $a))
      (v128.store offset=16 (local.get $out) (local.get $b))
      (v128.store offset=32 (local.get $out) (local.get $c))
      (v128.store offset=48 (local.get $out) (local.get $d))
      (local.set $table (i32.add (local.get $table) (i32.const 64)))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (br_if $columns (i32.lt_u (local.get $out) (local.get $out_end)))))

  ;; Reads a byte of every 64 of the listed rows of $stride bytes at $cells; what it returns means nothing. The rows lie
  ;; scattered over more memory than the caches next to the core hold: back to back, these reads overlap, while between the
  ;; sums each would be waited for (128 rows of 100 models: 10 µs together, 16 without).
  (func $touch (param $list i32) (param $list_end i32) (param $stride i32) (param $cells i32) (result i32)
    (local $at i32) (local $end i32) (local $sink i32)
    (loop $row
      (local.set $at (i32.add (local.get $cells) (i32.mul (i32.load (local.get $list)) (local.get $stride))))
      (local.set $end (i32.add (local.get $at) (local.get $stride)))
      (loop $line
        (local.set $sink (i32.add (local.get $sink) (i32.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $line (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $list (i32.add (local.get $list) (i32.const 8)))
      (br_if $row (i32.ne (local.get $list) (local.get $list_end))))
    (local.get $sink))

  ;; Adds the listed rows (pairs of a row number, u32, and a weight, f32) of $width columns, times their weights, to the sums:
  ;; u8 cells at $quality to the f32 at $quality_sums, u16 cells at $length to those at $length_sums; both have room for a
  ;; multiple of 8. Eight columns of all rows at a time: the sums stay in registers, and the reads of scattered rows overlap.
  (func (export "add")
    (param $list i32) (param $list_end i32) (param $width i32)
    (param $quality i32) (param $quality_sums i32) (param $length i32) (param $length_sums i32)
    (local $end i32) (local $entry i32) (local $cell i32) (local $weight v128) (local $cells v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $quality_sums) (i32.shl (local.get $width) (i32.const 2))))
    (block $empty
      (br_if $empty (i32.eq (local.get $list) (local.get $list_end)))
      (drop (call $touch (local.get $list) (local.get $list_end) (local.get $width) (local.get $quality)))
      (drop
        (call $touch
          (local.get $list) (local.get $list_end) (i32.shl (local.get $width) (i32.const 1)) (local.get $length)))
      (loop $columns
        (local.set $a (v128.load (local.get $quality_sums)))
        (local.set $b (v128.load offset=16 (local.get $quality_sums)))
        (local.set $c (v128.load (local.get $length_sums)))
        (local.set $d (v128.load offset=16 (local.get $length_sums)))
        (local.set $entry (local.get $list))
        (loop $row
          (local.set $cell (i32.mul (i32.load (local.get $entry)) (local.get $width)))
          (local.set $weight (v128.load32_splat offset=4 (local.get $entry)))
          (local.set $cells (v128.load8x8_u (i32.add (local.get $quality) (local.get $cell))))
          (local.set $a
            (f32x4.add (local.get $a)
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_u (local.get $cells))))))
          (local.set $b
            (f32x4.add (local.get $b)
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_u (local.get $cells))))))
          (local.set $cells (v128.load (i32.add (local.get $length) (i32.shl (local.get $cell) (i32.const 1)))))
          (local.set $c
            (f32x4.add (local.get $c)
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_u (local.get $cells))))))
          (local.set $d
            (f32x4.add (local.get $d)
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_u (local.get $cells))))))
          (local.set $entry (i32.add (local.get $entry) (i32.const 8)))
          (br_if $row (i32.ne (local.get $entry) (local.get $list_end))))
        (v128.store (local.get $quality_sums) (local.get $a))
        (v128.store offset=16 (local.get $quality_sums) (local.get $b))
        (v128.store (local.get $length_sums) (local.get $c))
        (v128.store offset=16 (local.get $length_sums) (local.get $d))
        (local.set $quality (i32.add (local.get $quality) (i32.const 8)))
        (local.set $length (i32.add (local.get $length) (i32.const 16)))
        (local.set $quality_sums (i32.add (local.get $quality_sums) (i32.const 32)))
        (local.set $length_sums (i32.add (local.get $length_sums) (i32.const 32)))
        (br_if $columns (i32.lt_u (local.get $quality_sums) (local.get $end))))))
)
